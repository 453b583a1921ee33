/**
 * - The process of the platform that runs a command renews its lease. Others stop it by `stop`, which names the state.
 * - Output is written in parts. The oldest are deleted beyond a limit.
 */
export const sandboxProcesses = `
  create table sandbox_processes (
    sandbox text not null references resources on delete cascade,
    pid text not null,
    name text not null,
    command text not null,
    working_folder text not null,
    state text not null default 'running',
    stop text,
    exit_code integer,
    restarts integer not null default 0,
    max_restarts integer not null,
    keeps_alive boolean not null,
    worker text not null,
    lease_until timestamptz(3) not null,
    started_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    primary key (sandbox, pid)
  );
  create unique index sandbox_processes_by_name on sandbox_processes (sandbox, name) where state = 'running';
  create index sandbox_processes_running on sandbox_processes (lease_until) where state = 'running';
  create index sandbox_processes_by_age on sandbox_processes (ended_at);

  create table sandbox_process_output (
    sandbox text not null,
    pid text not null,
    part integer not null,
    output text not null,
    content text not null,
    primary key (sandbox, pid, part),
    foreign key (sandbox, pid) references sandbox_processes on delete cascade
  );
`

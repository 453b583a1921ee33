/**
 * - A worker leases tasks and renews the lease. A task with an expired lease is taken by another worker.
 * - `attempts` grows when a task is taken, so a worker that dies uses up an attempt.
 * - `claimed_at` lets executions take turns, so a large one does not block a small one.
 * - `env_shown` are overridden variables that the job does not mark as secret.
 */
export const executions = `
  create table executions (
    uid text primary key,
    seq bigint generated always as identity,
    id text not null,
    workspace text collate "C" not null references workspaces on delete cascade,
    job_uid text not null references resources on delete cascade,
    job text not null,
    image text not null,
    status text not null default 'queued',
    parallelism integer not null,
    timeout_seconds integer not null,
    memory_mb integer not null,
    memory_override integer not null,
    env_names text[] not null,
    env_shown jsonb not null default '{}',
    sealed text not null,
    callback_attempts integer not null default 0,
    callback_claims integer not null default 0,
    callback_at timestamptz,
    claimed_at timestamptz not null default '-infinity',
    created_at timestamptz(3) not null default now(),
    started_at timestamptz(3),
    completed_at timestamptz(3),
    updated_at timestamptz(3) not null default now(),
    unique (job_uid, id)
  );
  create index executions_by_job on executions (job_uid, seq);
  create index executions_open on executions (claimed_at) where status in ('queued', 'running', 'cancelling');
  create index executions_to_tell on executions (callback_at) where callback_at is not null;

  create table tasks (
    execution text not null references executions on delete cascade,
    index integer not null,
    arguments jsonb not null,
    state text not null default 'pending',
    attempts integer not null default 0,
    max_retries integer not null,
    not_before timestamptz not null default now(),
    leased_by text,
    leased_until timestamptz,
    scheduled_at timestamptz(3),
    started_at timestamptz(3),
    completed_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    reason text not null default '',
    output text not null default '',
    primary key (execution, index)
  );
  create index tasks_waiting on tasks (execution, not_before) where state = 'pending';
  create index tasks_running on tasks (leased_until) where state = 'running';
  create index tasks_running_in on tasks (execution) where state = 'running';

  create table trigger_fires (
    resource_id text not null references resources on delete cascade,
    trigger integer not null,
    fired_for timestamptz(3) not null,
    primary key (resource_id, trigger, fired_for)
  );
  create index resources_with_cron on resources (id)
    where kind in ('agent', 'job') and spec @> '{"triggers": [{"type": "cron", "enabled": true}]}';
`

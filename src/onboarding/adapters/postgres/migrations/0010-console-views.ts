export const consoleViews = `
  create table console_views (
    subject text collate "C" not null,
    list    text collate "C" not null,
    name    text collate "C" not null,
    query   text not null,
    primary key (subject, list, name)
  );
  comment on table console_views is 'Filters of lists of the support console that somebody saved under a name.';
  comment on column console_views.subject is 'Who saved it, as the issuer of the console names them.';
`

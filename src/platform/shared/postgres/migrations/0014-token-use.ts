/** What a model has used in the newest window of each length. */
export const tokenUse = `
  create table token_use (
    model text not null references resources on delete cascade,
    span text not null,
    number bigint not null,
    input bigint not null,
    output bigint not null,
    primary key (model, span)
  );
`

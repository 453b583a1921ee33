export const timesOfReceipt = `
  alter table links add column received_at timestamptz;
  comment on column links.received_at is 'When the token response was sealed. Null: it was not, or an audit entry has the time.';
`

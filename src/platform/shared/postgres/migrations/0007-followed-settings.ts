/** The settings of onboarding that were last seen, so that the platform keeps them while onboarding is away. */
export const followedSettings = `
  create table followed_settings (
    id text primary key check (id = 'onboarding'),
    tag text not null,
    sealed text not null,
    followed_at timestamptz(3) not null default now()
  );
`

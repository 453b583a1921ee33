export const sealContext = {
  /** The same for the upcoming secret, which replaces the current one. */
  signingSecret: (tenant: string) => `tenant|${tenant}|signing-secret`,
  oauthClient: (tenant: string, integration: string) => `tenant|${tenant}|oauth-client|${integration}`,
  registeredClient: (issuer: string, clientId: string) => `registered-client|${clientId}|${issuer}`,
  setting: ({ kind, subject, version }: { kind: string; subject: string; version: string }) =>
    `setting|${kind}|${subject}|${version}`,
  verifier: (link: string) => `link|${link}|verifier`,
  waitingCode: (link: { id: string; tenant: string }) => `${link.tenant}|${link.id}|waiting-code`,
  escrow: (link: { id: string; tenant: string; workspace: string }) =>
    `${link.tenant}|${link.workspace}|${link.id}|escrow`,
  trialRefresh: (link: { id: string; tenant: string; workspace: string }) =>
    `${link.tenant}|${link.workspace}|${link.id}|trial-refresh`,
  /** The same for earlier secrets: a rotation moves the value to another table. */
  webhookSecret: (tenant: string, webhook: string) => `tenant|${tenant}|webhook|${webhook}|secret`,
  consoleVerifier: (state: string) => `console|${state}|verifier`,
  consoleGrant: (session: string) => `console|${session}|grant`,
  idempotentAnswer: (id: string) => `idempotency|${id}|answer`,
}

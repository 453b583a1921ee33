// Additional authenticated data of each sealed value. A value moved to another row or field does not open.
export const sealContext = {
  resource: (workspace: string, id: string) => `resource|${workspace}|${id}`,
  accessToken: (workspace: string, connection: string) => `access-token|${workspace}|${connection}`,
  /** An unreadable refresh response. */
  unreadAnswer: (workspace: string, connection: string) => `unread-answer|${workspace}|${connection}`,
  execution: (uid: string) => `execution|${uid}`,
  asyncRequest: (id: string, part: 'asked' | 'answer') => `async-request|${id}|${part}`,
  idempotentAnswer: (idHex: string) => `idempotency|${idHex}`,
  oidcRecord: (model: string, idHashHex: string) => `oidc|${model}|${idHashHex}`,
  /** The arguments of a call that waits for an approval. */
  approval: (id: string) => `approval|${id}`,
  followedSettings: (id: string) => `followed-settings|${id}`,
  signingKey: (kid: string) => `signing-key|${kid}`,
}

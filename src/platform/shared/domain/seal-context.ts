// The additional authenticated data of each sealed value: moved to another row or field, it does not open.

export const sealContext = {
  /** A resource's secrets, all of them in one envelope. */
  resource: (workspace: string, id: string) => `resource|${workspace}|${id}`,
  /** The access token that was fetched for a connection. */
  accessToken: (workspace: string, connection: string) => `access-token|${workspace}|${connection}`,
  /** The answer to a refresh of it that could not be read. */
  unreadAnswer: (workspace: string, connection: string) => `unread-answer|${workspace}|${connection}`,
  execution: (uid: string) => `execution|${uid}`,
  asyncRequest: (id: string, part: 'asked' | 'answer') => `async-request|${id}|${part}`,
  idempotentAnswer: (idHex: string) => `idempotency|${idHex}`,
  oidcRecord: (model: string, idHashHex: string) => `oidc|${model}|${idHashHex}`,
  signingKey: (kid: string) => `signing-key|${kid}`,
}

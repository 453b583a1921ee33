type Stored = Record<string, unknown> & { gty?: unknown; rotations?: unknown }

export const refreshTokenSeconds = 30 * 24 * 60 * 60

/** The record that replaces another one, for the same grant, scopes and resource. */
export const successorOf = (replaced: Stored, id: string, nowSeconds: number): Stored => ({
  ...replaced,
  jti: id,
  iat: nowSeconds,
  exp: nowSeconds + refreshTokenSeconds,
  rotations: typeof replaced.rotations === 'number' ? replaced.rotations + 1 : 1,
  // The grant types that led to the token.
  gty: String(replaced.gty ?? '')
    .replace(/( refresh_token)?$/, ' refresh_token')
    .trim(),
})

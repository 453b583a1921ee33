// Codes of Node and OpenSSL (Node.js documentation, "TLS: X509 certificate error codes" and "Errors: Common system
// errors", v20).

const untrusted = 'its certificate is not trusted; name its CA in NODE_EXTRA_CA_CERTS'

const problems: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS on this port',
  EPROTO: 'it does not speak TLS on this port',
  ENOTFOUND: 'its name is not known (DNS)',
  EAI_AGAIN: 'its name cannot be looked up (DNS)',
  ECONNREFUSED: 'nothing listens there',
  EHOSTUNREACH: 'no route leads there',
  ENETUNREACH: 'no route leads there',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
}

/** Nothing was sent, and retries can't help. */
export const isCertificateProblem = (code: string): boolean => (problems[code] ?? '').startsWith('its certificate')

/** `code: explanation`, or only the code if it is unknown. */
export const describeConnection = (code: string): string => (problems[code] ? `${code}: ${problems[code]}` : code)

/** The code of an error, or of the first error it wraps. Undefined if there is no code that is safe to report. */
export function connectionCode(error: unknown): string | undefined {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown[] }
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code
  return cause !== undefined || errors?.length ? connectionCode(errors?.[0] ?? cause) : undefined
}

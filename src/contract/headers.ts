/** Every header that carries the brand word, made from that one word; both programs read the same setting. */
export function brandedHeaders(brand: string) {
  return {
    authorization: `X-${brand}-Authorization`,
    workspace: `X-${brand}-Workspace`,
    threadId: `X-${brand}-Thread-Id`,
    version: `${brand}-Version`,
    signature: `X-${brand}-Signature`,
    timestamp: `X-${brand}-Timestamp`,
    source: `X-${brand}-Source`,
    errorCode: `X-${brand}-Error-Code`,
  } as const
}

export type BrandedHeaders = ReturnType<typeof brandedHeaders>

export const defaultBrand = 'Service'

/** A word that is safe inside a header name (RFC 9110, section 5.6.2), narrowed to letters, digits and hyphens. */
export const brandPattern = /^[A-Za-z][A-Za-z0-9-]{0,31}$/

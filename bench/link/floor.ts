// The floor: the same network traffic with only node:http and ioredis. No checks, ledger or pages.
import { createHash, randomBytes } from 'node:crypto'
import { Agent, createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Redis } from 'ioredis'

const stub = new URL(process.env.STUB_URL as string)
const redis = new Redis(process.env.REDIS_URL as string)
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

const server = createServer((req, res) => {
  const url = new URL(req.url ?? '', 'http://floor')
  if (req.method === 'POST') void start(res)
  else void finish(url, res)
})

async function start(res: ServerResponse) {
  const state = randomBytes(32).toString('base64url')
  const verifier = randomBytes(32).toString('base64url')
  await redis.set(`floor:${state}`, verifier, 'EX', 900)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  res.setHeader('refresh', `0; url=${stub.origin}/authorize?state=${state}&code_challenge=${challenge}`)
  res.end('<p>On to the app</p>')
}

async function finish(url: URL, res: ServerResponse) {
  const verifier = await redis.getdel(`floor:${url.searchParams.get('state')}`)
  const form = `grant_type=authorization_code&code=${url.searchParams.get('code')}&client_id=c&client_secret=s&code_verifier=${verifier}`
  const { refresh_token } = await post('/token', 'application/x-www-form-urlencoded', form)
  const name = randomBytes(8).toString('hex')
  const secret = { CLIENT_ID: 'c', CLIENT_SECRET: 's', REFRESH_TOKEN: refresh_token }
  await post(
    '/v0/integrations/connections',
    'application/json',
    JSON.stringify({ metadata: { name }, spec: { secret } }),
  )
  await post('/v0/functions', 'application/json', JSON.stringify({ metadata: { name }, spec: { type: 'mcp' } }))
  res.writeHead(303, { location: 'https://acme.example/return?status=linked' }).end()
}

function post(path: string, type: string, body: string): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body), 'x-service-workspace': 'acme' }
    const call = request({ host: stub.hostname, port: stub.port, path, method: 'POST', agent, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
    })
    call.on('error', reject)
    call.end(body)
  })
}

process.on('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, port: (server.address() as AddressInfo).port }))

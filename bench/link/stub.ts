// A token endpoint, a control plane and a trace collector on plain node:http. They are not measured.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let issued = 0

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    res.setHeader('content-type', 'application/json')
    // Requests other than those of links: it has no lists.
    if (req.method === 'GET') res.statusCode = 404
    res.end(req.method === 'GET' ? '{"code":404,"error":"Not found"}' : answer(req.url ?? '', Buffer.concat(chunks)))
  })
})

function answer(url: string, body: Buffer): string {
  if (url === '/token') {
    const token = `${issued++}`.padStart(40, 'r')
    return `{"access_token":"${token}a","token_type":"Bearer","expires_in":3600,"refresh_token":"${token}"}`
  }
  if (url === '/v1/traces') return '{}'
  const document = JSON.parse(body.toString())
  document.metadata.url = `http://127.0.0.1/${document.metadata.name}`
  return JSON.stringify(document)
}

// Longer than the pause between two rounds: a connection closed while being reused would abort the floor.
server.keepAliveTimeout = 120_000
process.on('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, port: (server.address() as AddressInfo).port }))

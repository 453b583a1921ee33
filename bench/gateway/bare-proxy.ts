// A minimal proxy in Node: one agent, one pipe in each direction.
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const port = Number(process.env.UPSTREAM_PORT)
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

const server = createServer((req, res) => {
  const onward = request(
    { host: '127.0.0.1', port, path: req.url, method: req.method, headers: req.headers, agent },
    (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    },
  )
  onward.on('error', () => res.destroy())
  req.pipe(onward)
})
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))

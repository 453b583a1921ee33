import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { serveWebSockets } from '../../src/kit/streams/web-sockets.ts'

const listeners: number[] = []
const server = createServer((req, res) => {
  listeners.push(req.socket.listenerCount('error'))
  res.end()
})
serveWebSockets(server)
await once(server.listen(0, '127.0.0.1'), 'listening')
afterAll(() => server.close())

test('declined upgrades of one connection leave nothing behind', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')

  for (let at = 0; at < 4; at++) {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
    await once(socket, 'data')
  }
  socket.destroy()

  expect(new Set(listeners.slice(1)).size).toBe(1)
  expect(listeners).toHaveLength(4)
})

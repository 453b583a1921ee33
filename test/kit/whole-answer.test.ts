import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { afterAll, expect, test } from 'vitest'
import { wholeAnswer } from '../../src/kit/fetch/whole-answer.ts'
import { waitFor } from '../support/oracles/wait-for.ts'

const asked: string[] = []
let held: ServerResponse | undefined
const server = createServer((req, res) => {
  asked.push(req.url ?? '')
  if (req.url === '/held') held = res
  else res.end()
})

await once(server.listen(0, '127.0.0.1'), 'listening')
const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 })
afterAll(async () => {
  await pool.close()
  server.close()
})

test('a call that times out while waiting for a connection is not sent later', async () => {
  const first = wholeAnswer(pool, { method: 'GET', path: '/held' })
  await waitFor('the one connection is busy', () => held)

  const limit = { ms: 20, reason: () => new Error('unanswered'), unsent: () => new Error('unsent') }
  const queued = wholeAnswer(pool, { method: 'POST', path: '/queued', body: 'code', limit })
  await expect(queued).rejects.toThrow('unsent')
  held?.end()
  await first
  await wholeAnswer(pool, { method: 'GET', path: '/next' })

  expect(asked).toEqual(['/held', '/next'])
})

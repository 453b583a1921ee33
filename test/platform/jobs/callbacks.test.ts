// Allowed and blocked callback URLs.
import { createServer } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { brandedHeaders } from '../../../src/contract/headers.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { callbackSender } from '../../../src/platform/gateway/adapters/callbacks.ts'
import type { Execution } from '../../../src/platform/jobs/domain/execution.ts'
import { deliverCallbacks } from '../../../src/platform/jobs/flows/deliver-callbacks.ts'
import { loopReports } from '../../support/doubles/loop-reports.ts'
import { startUpstream } from '../../support/doubles/upstream.ts'

const receiver = await startUpstream()
const port = new URL(receiver.url).port
afterAll(() => receiver.close())
beforeEach(() => {
  receiver.state.callbacks = []
})

test.each([
  'http://127.0.0.1:PORT/callback',
  'https://127.0.0.1:PORT/callback',
  'http://localhost:PORT/callback',
  'http://localhost.:PORT/callback',
  'http://127.1:PORT/callback',
  'http://2130706433:PORT/callback',
  'http://[::1]:PORT/callback',
  'http://[::ffff:127.0.0.1]:PORT/callback',
  'http://allowed.example@127.0.0.1:PORT/callback',
  'http://allowed.example:PORT@127.0.0.1:PORT/callback',
])('a callback to %s is not sent unless an operator allows it', async (address) => {
  const { send, close } = callbackSender([`allowed.example:${port}`])

  const delivery = await send(address.replaceAll('PORT', port), {}, '{}')
  await close()

  expect([delivery, receiver.state.callbacks]).toMatchObject([{ taken: false, refused: true }, []])
})

test.each([302, 307, 308])(
  'a redirect with status %i is not followed, and counts as a failed delivery',
  async (status) => {
    const sly = createServer((_, res) => res.writeHead(status, { Location: `${receiver.url}/callback` }).end())
    await new Promise<void>((resolve) => void sly.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(sly.address() as { port: number }).port}`
    const { send, close } = callbackSender([host, new URL(receiver.url).host])

    const delivery = await send(`http://${host}/`, {}, '{}')
    await Promise.all([close(), new Promise((resolve) => sly.close(resolve))])

    const untaken = { taken: false, refused: false, reason: `it answered ${status}` }
    expect([delivery, receiver.state.callbacks]).toEqual([untaken, []])
  },
)

test('a slow receiver does not delay other callbacks', async () => {
  const waiting = ['slow', 'quick'].map((uid) => ({
    execution: { uid, id: uid, job: 'job', workspace: 'acme', status: 'succeeded', stats: {} } as Execution,
    jobUid: 'job',
    attempts: 1,
    claims: 1,
    secrets: new Secret({ env: {}, secretNames: [], callback: { url: uid, secret: undefined, attempts: 3 } }),
  }))
  const told: string[] = []
  let release = () => {}
  const isQuickReported = new Promise<void>((resolve) => (release = resolve))

  await deliverCallbacks(
    {
      executions: {
        nextCallback: async () => waiting.shift(),
        retryCallback: async () => {},
        callbackDone: async (uid) => void told.push(uid),
      },
      sendCallback: async (url) => {
        if (url === 'slow') await isQuickReported
        else release()
        return { taken: true }
      },
      jobs: { noteCallback: async () => {} },
      log: loopReports().log,
      now: () => new Date(),
    },
    brandedHeaders('Service'),
  )

  expect(told.sort()).toEqual(['quick', 'slow'])
})

test.each([
  ['is retried while attempts are left', 1, ['later one']],
  ['is given up after the last attempt, and its owner is notified', 3, ['noted', 'told one']],
])('an undelivered callback %s', async (_what, attempts, expected) => {
  const waiting = [
    {
      execution: { uid: 'one', id: 'one', job: 'job', workspace: 'acme', status: 'failed', stats: {} } as Execution,
      jobUid: 'job',
      attempts,
      claims: 1,
      secrets: new Secret({
        env: {},
        secretNames: [],
        callback: { url: 'https://receiver.example/told', secret: undefined, attempts: 3 },
      }),
    },
  ]
  const done: string[] = []

  await deliverCallbacks(
    {
      executions: {
        nextCallback: async () => waiting.shift(),
        retryCallback: async (uid) => void done.push(`later ${uid}`),
        callbackDone: async (uid) => void done.push(`told ${uid}`),
      },
      sendCallback: async () => ({ taken: false, refused: false, reason: 'it answered 500' }),
      jobs: { noteCallback: async () => void done.push('noted') },
      log: loopReports().log,
      now: () => new Date(),
    },
    brandedHeaders('Service'),
  )

  expect(done).toEqual(expected)
})

test('S2: a callback that crashes processes is sent separately and given up after three crashes', async () => {
  const waiting = [1, 3, 1, 4].map((claims, place) => ({
    execution: { uid: `${place}`, id: '', job: 'job', workspace: 'acme', status: 'failed', stats: {} } as Execution,
    jobUid: 'job',
    attempts: claims,
    claims,
    secrets: new Secret({
      env: {},
      secretNames: [],
      callback: { url: `https://receiver.example/${place}`, secret: undefined, attempts: 9 },
    }),
  }))
  const events: string[] = []

  await deliverCallbacks(
    {
      executions: {
        nextCallback: async () => waiting.shift(),
        retryCallback: async () => {},
        callbackDone: async () => {},
      },
      sendCallback: async (url) => {
        events.push(`begin ${url.at(-1)}`)
        await new Promise((resolve) => setImmediate(resolve))
        events.push(`end ${url.at(-1)}`)
        return { taken: true }
      },
      jobs: { noteCallback: async (_workspace, _job, message) => void events.push(message) },
      log: loopReports().log,
      now: () => new Date(),
    },
    brandedHeaders('Service'),
  )

  expect(events).toEqual([
    ...['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2'],
    expect.stringContaining('every process that sent it was lost'),
  ])
})

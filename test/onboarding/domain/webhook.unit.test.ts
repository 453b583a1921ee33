import { expect, test } from 'vitest'
import { judgeDelivery } from '../../../src/onboarding/domain/webhooks/delivery.ts'
import { webhookSecret, webhookUrlError } from '../../../src/onboarding/domain/webhooks/webhook.ts'

const answered = (status: number, retryAfterSeconds?: number) => ({ responseStatus: status, retryAfterSeconds })

test.each([200, 201, 204, 299])('a response of %i means delivered', (status) => {
  expect(judgeDelivery(answered(status), 1, 0)).toEqual({ next: 'delivered' })
})

test('a response of 410 disables the webhook', () => {
  expect(judgeDelivery(answered(410), 1, 0)).toEqual({ next: 'disable' })
})

test.each([
  [answered(500), 'refused'],
  [answered(404), 'refused'],
  [answered(302), 'redirected'],
  [{ failureReason: 'unanswered' as const }, 'unanswered'],
  [{ failureReason: 'blocked' as const }, 'blocked'],
])('after %o the first retry is five seconds later', (result, failureReason) => {
  expect(judgeDelivery(result, 1, 0)).toEqual({ next: 'later', delaySeconds: 5, failureReason })
})

test('retries back off for more than a day, and then the delivery is dead', () => {
  const waits: number[] = []
  for (let attempts = 1; ; attempts++) {
    const verdict = judgeDelivery(answered(500), attempts, 0)
    if (verdict.next !== 'later') break
    waits.push(verdict.delaySeconds)
  }

  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(24 * 3_600)
  expect(judgeDelivery(answered(500), waits.length + 1, 0)).toEqual({ next: 'dead', failureReason: 'refused' })
})

test('honors a receiver’s Retry-After, up to an hour', () => {
  expect(judgeDelivery(answered(429, 90), 1, 0)).toMatchObject({ delaySeconds: 90 })
  expect(judgeDelivery(answered(503, 999_999), 1, 0)).toMatchObject({ delaySeconds: 3_600 })
})

test('jitter spreads deliveries of one moment, and none is early', () => {
  const delays = [0, 1].map((chance) => judgeDelivery(answered(429, 50), 1, chance))

  expect(delays).toMatchObject([{ delaySeconds: 50 }, { delaySeconds: 60 }])
})

test('a secret is the prefix and 32 bytes in base64', () => {
  const secret = webhookSecret(Buffer.alloc(32, 0xfb).toString('base64url'))

  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toEqual(Buffer.alloc(32, 0xfb))
  expect(secret).toBe(`whsec_${Buffer.alloc(32, 0xfb).toString('base64')}`)
})

test.each([
  ['https://hooks.acme.example/a b', 'spaces'],
  ['https://hooks.acme.example/\t', 'spaces'],
  ['https:\\\\hooks.acme.example', 'backslashes'],
  ['/hook', 'absolute'],
  ['https://user@hooks.acme.example/', 'user name'],
  ['https://hooks.acme.example/#part', 'fragment'],
  ['https://HOOKS.acme.example/', 'normal form'],
  ['https://hooks.acme.example', 'normal form'],
])('%j is rejected as a receiver: it %s', (url, words) => {
  expect(webhookUrlError(url, () => true)).toContain(words)
})

import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { readDocument } from '../../architecture/documents.ts'
import { startTestRedis } from '../../support/processes/stores.ts'
import { startOnboarding } from '../../support/worlds/onboarding-world.ts'

/** Adds the user of docs/guides/redis.md, and returns the address for it. */
async function addUser(name: string, address: string): Promise<string> {
  const [, rules = ''] = new RegExp(`^ACL SETUSER ${name} (.*)$`, 'm').exec(readDocument('docs/guides/redis.md')) ?? []
  const client = new Redis(address)
  await client.call('ACL', 'SETUSER', name, ...rules.replace('PASSWORD', 'secret').split(' '))
  client.disconnect()
  const url = new URL(address)
  url.username = name
  url.password = 'secret'
  return url.href
}

test('the documented Redis user has exactly the permissions that a link needs', async () => {
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const url = await addUser('onboarding', redis.url)
  const onboarding = await startOnboarding({ env: { REDIS_URL: url } })
  onTestFinished(() => onboarding.close())
  const client = new Redis(url)
  onTestFinished(() => client.disconnect())

  const minted = await onboarding.mint()
  const { query } = await onboarding.consent(minted)
  const link = await onboarding.completeToTheEnd(minted, query)

  expect(link.status).toBe('linked')
  await expect(client.get('other')).rejects.toThrow('NOPERM')
  await expect(client.flushall()).rejects.toThrow('NOPERM')
  await expect(client.call('CONFIG', 'GET', '*')).rejects.toThrow('NOPERM')
  await expect(client.call('KEYS', '*')).rejects.toThrow('NOPERM')
})

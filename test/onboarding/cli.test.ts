import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startOnboarding } from '../support/onboarding-world.ts'

const run = promisify(execFile)

/** The built program, as it is deployed. */
const causeway = async (env: Record<string, string>, ...args: string[]) => {
  const { stdout } = await run(process.execPath, ['dist/onboarding/cli.js', ...args], { env })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('keys rotate-encryption puts everything under the first key, and says when a key for it is missing', async () => {
  const world = await startOnboarding()
  const fresh = `fresh:${randomBytes(32).toString('base64url')}`
  const both = { ...world.env, ENCRYPTION_KEYS: `${fresh},${world.env.ENCRYPTION_KEYS}` }

  const refused = await causeway({ ...world.env, ENCRYPTION_KEYS: fresh }, 'keys', 'rotate-encryption').catch(
    (error) => error,
  )
  const first = await causeway(both, 'keys', 'rotate-encryption')
  const second = await causeway({ ...world.env, ENCRYPTION_KEYS: fresh }, 'keys', 'rotate-encryption')

  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('still sealed by another key') })
  expect(first).toContainEqual({ column: 'tenants.signing_secret', rewrapped: 1, others: 0 })
  expect(second).toContainEqual({ column: 'tenants.signing_secret', rewrapped: 0, others: 0 })
  await world.close()
})

test('a word that is no command is answered with the commands there are', async () => {
  const { code, stderr } = await causeway({}, 'keys', 'turn').catch((error) => error)

  expect(code).toBe(1)
  expect(stderr).toContain('keys rotate-encryption')
})

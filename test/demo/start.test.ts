import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { chooseAddresses } from '../../src/demo/addresses.ts'
import { readConfig } from '../../src/demo/config.ts'
import { fileboxIntegrations, readFurtherIntegrations } from '../../src/demo/integrations-file.ts'
import { keptSecrets } from '../../src/demo/kept-secrets.ts'
import { createLifetime } from '../../src/demo/lifetime.ts'
import { writeClientSettings, writeOperatorSettings } from '../../src/demo/settings-files.ts'
import { readIntegrations as onboardingFile } from '../../src/onboarding/integrations/integrations-file.ts'
import { readIntegrations as platformFile } from '../../src/platform/gateway/integrations/catalogue.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

describe('ports', () => {
  test('a fixed port that is in use fails with one line that names the variable', async () => {
    const { port, close } = await occupied()

    const choosing = chooseAddresses({ ...free, filebox: port })

    await expect(choosing).rejects.toThrow(`FILEBOX_PORT: port ${port} is taken`)
    close()
  })

  test('Acme and Filebox are on another site than Causeway and the platform', async () => {
    const { portal, onboarding, platform, filebox } = await chooseAddresses(free)

    expect([portal, filebox].map(({ url }) => new URL(url).hostname)).toEqual(['localhost', 'localhost'])
    expect([onboarding, platform].map(({ url }) => new URL(url).hostname)).toEqual(['127.0.0.1', '127.0.0.1'])
    expect(new Set([portal, onboarding, platform, filebox].map(({ port }) => port)).size).toBe(4)
  })
})

test('reports all configuration errors at once', () => {
  const reading = () => readConfig({ PORTAL_PORT: 'eleven', REDIS_URL: 'http://here', LOG_LEVEL: 'loud' })

  expect(reading).toThrow(/PORTAL_PORT.*\n.*REDIS_URL|REDIS_URL.*\n.*PORTAL_PORT/)
  expect(reading).toThrow(/LOG_LEVEL/)
})

describe('additional integrations', () => {
  const file = (text: string) => {
    const path = join(temporaryFolder(), 'integrations.json')
    writeFileSync(path, text)
    return path
  }

  test('are read from the file that INTEGRATIONS_FILE names', () => {
    const entry = { profile: 'slack', clientId: '1', clientSecret: '2' }

    expect(readFurtherIntegrations(file(JSON.stringify({ integrations: [entry] })))).toEqual([entry])
  })

  test.each([
    ['invalid JSON', '{'],
    ['no list of integrations', '{ "slack": {} }'],
  ])('fail the start with a sentence if the file has %s', (_, text) => {
    expect(() => readFurtherIntegrations(file(text))).toThrow(/^INTEGRATIONS_FILE: .*cannot be used: /)
  })
})

test('the settings of operators and developers are readable only by their owner', () => {
  const folder = temporaryFolder()
  writeClientSettings(folder, 'http://127.0.0.1:1', { testKey: 'cwk_test_1' })
  writeOperatorSettings(folder, { onboarding: { PUBLIC_URL: 'http://127.0.0.1:1' }, platform: { PORT: '2' } })
  const files = ['causeway.env', 'onboarding.env', 'platform.env'].map((name) => join(folder, name))

  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  expect(parseEnv(readFileSync(join(folder, 'onboarding.env'), 'utf8'))).toEqual({ PUBLIC_URL: 'http://127.0.0.1:1' })
})

describe('secrets', () => {
  test('are created once and readable only by their owner', () => {
    const folder = temporaryFolder()

    const first = keptSecrets(folder)
    const second = keptSecrets(folder)

    expect(second).toEqual(first)
    expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
  })

  test('fail the start if they cannot be read, and are not replaced', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'secrets.json'), '{')

    expect(() => keptSecrets(folder)).toThrow('npm run reset')
  })
})

describe('a lifetime', () => {
  test('ends all parts in reverse order, including those still starting', async () => {
    const lifetime = createLifetime()
    const ended: string[] = []
    await lifetime.keep(async () => 'store', ended.push.bind(ended))
    let arrive: (name: string) => void = () => {}
    const slow = new Promise<string>((resolve) => {
      arrive = resolve
    })
    void lifetime.keep(() => slow, ended.push.bind(ended))

    const ending = lifetime.end()
    arrive('program')
    await ending

    expect(ended).toEqual(['program', 'store'])
  })

  test('ends the other parts if one failed to start', async () => {
    const lifetime = createLifetime()
    const ended: string[] = []
    await lifetime.keep(async () => 'store', ended.push.bind(ended))
    const failing = lifetime.keep(() => Promise.reject(new Error('no')), ended.push.bind(ended))

    await expect(failing).rejects.toThrow('no')
    await lifetime.end()

    expect(ended).toEqual(['store'])
  })

  test('starts nothing after shutdown began', async () => {
    const lifetime = createLifetime()
    let started = false

    await lifetime.end()
    const starting = lifetime.keep(
      async () => {
        started = true
      },
      () => {},
    )

    await expect(starting).rejects.toThrow('interrupted')
    expect(started).toBe(false)
  })
})

test('both programs accept the Filebox entry', () => {
  const filebox = { url: 'http://localhost:3200', clientId: 'causeway-demo', clientSecret: 'a-secret' }

  expect(onboardingFile().safeParse(fileboxIntegrations(filebox)).error).toBeUndefined()
  expect(platformFile().safeParse(fileboxIntegrations(filebox)).error).toBeUndefined()
})

const free = { portal: undefined, onboarding: undefined, platform: undefined, filebox: undefined }

async function occupied() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() }
}

// Commands of a sandbox use a linked account. They run under bubblewrap, and the credential is added outside.

import { afterAll, expect, test } from 'vitest'
import { accountsWorld } from './accounts-world.ts'
import { attemptsAtHome, attemptsOutside } from './attempts.ts'
import { leaksIn } from './leaks.ts'

const world = await accountsWorld()
afterAll(() => world.close())
const { provider, run, sandbox } = world
await sandbox('box')

test('curl runs unmodified, and the request is recorded as a call of the sandbox', async () => {
  const ran = await run('box', 'curl -sS -H "Authorization: Bearer $CODE_HOST_TOKEN" "$API/v1/models"')

  expect(ran).toMatchObject({ stdout: expect.stringContaining('"id":"one"'), stderr: '', exitCode: 0 })
  expect(provider.state.seen.at(-1)).toEqual({ url: '/v1/models', authorization: `Bearer ${provider.state.token}` })
  expect((await world.calls())[0]).toMatchObject({
    tool: 'relay GET',
    outcome: 'succeeded',
    caller: { name: 'sandbox box', credential: expect.stringMatching(/^sandbox:/) },
  })
})

test('Git pushes and clones unmodified', async () => {
  provider.repository('repo.git')
  const identity = '-c user.name=Ada -c user.email=ada@example.com'

  const pushed = await run(
    'box',
    `mkdir -p /tmp/first && cd /tmp/first && git init -q -b main && head -c 3000000 /dev/urandom > large && git add large &&
     git ${identity} commit -qm first && git push -q "https://x-access-token:$CODE_HOST_TOKEN@\${API#https://}/git/repo.git" main && sha1sum < large`,
  )
  const cloned = await run(
    'box',
    'cd /tmp && git clone -q "$API/git/repo.git" second && sha1sum < second/large && cat second/.git/config',
  )

  expect(pushed).toMatchObject({ stderr: '', exitCode: 0 })
  expect(cloned).toMatchObject({ stderr: '', exitCode: 0 })
  expect(cloned.stdout.split('\n')[0]).toBe(pushed.stdout.split('\n')[0])
  expect(leaksIn(cloned.stdout, world.credentials())).toEqual([])
})

test.each(attemptsAtHome)('C30: gets no credential from $name', async ({ script, shows = /^/ }) => {
  const { stdout, stderr } = await run('box', script)

  expect(leaksIn(`${stdout}${stderr}`, world.credentials())).toEqual([])
  expect(`${stdout}${stderr}`).toMatch(shows)
})

test.each(Object.entries(attemptsOutside))('C30: gets no credential by requests: %s', async (_, attempts) => {
  const before = provider.state.seen.length

  const { stdout } = await run('box', attempts.map(({ script }) => `(${script}\n) 2>&1; echo; echo ${end}`).join('\n'))

  const outputs = stdout.split(`${end}\n`).slice(0, -1)
  const leaks = outputs.map((output, at) => [attempts[at]?.name, leaksIn(output, world.credentials())] as const)
  expect(outputs).toHaveLength(attempts.length)
  expect(leaks.filter(([, found]) => found.length > 0)).toEqual([])
  expect(provider.reached).toEqual([])
  expect(attempts.filter(({ shows = /^/ }, at) => !shows.test(outputs[at] ?? '')).map(({ name }) => name)).toEqual([])
  const reaching = attempts.filter(({ reaches }) => reaches)
  expect(provider.state.seen.length - before).toBeGreaterThanOrEqual(reaching.length)
})

const end = 'END-OF-ATTEMPT'

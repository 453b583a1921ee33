// Commands of a sandbox use a linked account. They run under bubblewrap, and the credential is added outside.

import { afterAll, expect, test } from 'vitest'
import { accountsWorld } from './accounts-world.ts'
import { attempts } from './attempts.ts'
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

test.each(attempts)('C30: gets no credential from $name', async ({ script, shows = /^/, reaches = false }) => {
  const before = provider.state.seen.length

  const { stdout, stderr } = await run('box', script)

  expect(leaksIn(`${stdout}${stderr}`, world.credentials())).toEqual([])
  expect(provider.reached).toEqual([])
  expect(`${stdout}${stderr}`).toMatch(shows)
  if (reaches) expect(provider.state.seen.length).toBeGreaterThan(before)
})

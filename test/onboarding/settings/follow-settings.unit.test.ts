import { expect, test } from 'vitest'
import type { Entry } from '../../../src/onboarding/domain/settings-changes/settings-version.ts'
import { followSettings } from '../../../src/onboarding/settings/flows/follow-settings.ts'

test('warns once for each entry of the file that stored settings replace, and again after they were removed', async () => {
  const stored = new Map<string, Entry | undefined>([['gmail', {}]])
  const warned: unknown[] = []
  let newest = 0
  const follow = followSettings({
    settingVersions: {
      newest: async () => ++newest,
      current: async () =>
        [...stored].map(([subject, entry]) => ({
          version: { version: newest, subject, entry, actor: { kind: 'operator' as const }, changedAt: new Date(0) },
          earlierClients: [],
        })) as never,
    },
    toolPolicies: { placed: async () => [] },
    served: { replace: () => ['broken'], isInFile: (integration) => integration !== 'added' },
    log: (event, fields) => void (event === 'settings.file_ignored' && warned.push(fields?.integration)),
    now: Date.now,
  })

  await follow()
  stored.set('added', {}).set('broken', {}).set('slack', {})
  await follow()
  stored.set('gmail', undefined)
  await follow()
  stored.set('gmail', {})
  await follow()

  expect(warned).toEqual(['gmail', 'slack', 'gmail'])
})

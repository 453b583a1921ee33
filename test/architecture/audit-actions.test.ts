// Every action of the audit is written somewhere: what nobody writes any more would only stand in the way of who reads.
import { expect, test } from 'vitest'
import { auditActionNames } from '../../src/onboarding/domain/audit/audit-actions.ts'
import { linkStates } from '../../src/onboarding/domain/link.ts'
import { readSource, sourceFiles } from './source-imports.ts'

const writers = sourceFiles()
  .filter((file) => file.startsWith('onboarding/') && !/audit-(actions|words)|\/locals\//.test(file))
  .map(readSource)

/** In full, or as the state that a link is moved to. */
const isWritten = (action: string, texts: readonly string[]) => {
  const state = linkStates.find((each) => `link.${each}` === action)
  const moved = state && new RegExp(String.raw`[([,]\s*'${state}'[,)\]]`)
  return texts.some((text) => text.includes(`action: '${action}'`) || moved?.test(text))
}

test('each action of the audit is written by some flow', () => {
  expect(auditActionNames.filter((action) => !isWritten(action, writers))).toEqual([])
})

test('one that is only in the table would be found', () => {
  expect(isWritten('tenant.put', [`'tenant.put': { about: 'tenant' }`])).toBe(false)
  expect(isWritten('link.failed', [`type State = 'linked' | 'failed'`])).toBe(false)
  expect(isWritten('link.failed', [`advance(context, link, 'failed', changes)`])).toBe(true)
})

test('nothing is read out of what a person said: a reason is never compared, matched or taken apart', () => {
  const taken = /\breason\??\.(?:match|startsWith|includes|split|replace|slice)|\breason\s*===\s*'/
  const found = sourceFiles().filter((file) => file.startsWith('onboarding/') && taken.test(readSource(file)))

  expect(found).toEqual([])
})

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { factLabel, valueWords } from '../../../src/onboarding/console/http/locals/audit-words.ts'
import { causeWords } from '../../../src/onboarding/console/http/locals/cause-words.ts'
import { revocationWords } from '../../../src/onboarding/console/http/locals/task.ts'
import { auditActionNames, auditActions } from '../../../src/onboarding/domain/audit/audit-actions.ts'
import { type FactShape, isOptional } from '../../../src/onboarding/domain/audit/audit-facts.ts'
import { causeCodes } from '../../../src/onboarding/domain/cause.ts'

const facts = auditActionNames.flatMap((action) => Object.entries<FactShape[string]>(auditActions[action].facts))

const texts = [
  ...facts.flatMap(([name, kind]) => {
    const values = isOptional(kind) ? kind.optional : kind
    return [factLabel(name), ...(Array.isArray(values) ? values.map((value) => valueWords(name, value)) : [])]
  }),
  ...causeCodes.flatMap((code) => {
    const { title, advice } = causeWords(code)
    return [title, advice]
  }),
  ...Object.values(revocationWords),
]

const offenders = (pattern: RegExp) => texts.filter((text) => pattern.test(text))

describe('texts for agents', () => {
  test('contain no internal terms', () => {
    expect(offenders(/\b(grants?|deployments?|members?|held|profile|escrow|row)\b/i)).toEqual([])
  })

  test('contain no code, variable name or enum value', () => {
    expect(offenders(/`|\b[A-Z]+_[A-Z_]+\b|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b/)).toEqual([])
  })

  test('write codes of other servers as words', () => {
    expect(valueWords('detail', 'OAUTH_INVALID_RESPONSE')).toBe('oauth invalid response')
  })

  test('give instructions in at most three sentences', () => {
    expect(texts.filter((text) => text.length > 220)).toEqual([])
  })

  test('name the reconnect link if the user has to reconnect a broken connection', () => {
    for (const code of ['grant_revoked', 'scope_insufficient', 'client_rejected'] as const) {
      expect(causeWords(code).advice).toContain('end the user a reconnect link')
    }
  })
})

const pages = new URL('../../../views/onboarding/support/', import.meta.url)

test.each(readdirSync(pages))('the page %s contains no internal terms', (name) => {
  const template = readFileSync(new URL(name, pages), 'utf8')
  const code = [...template.matchAll(/<%(?!#).*?%>/gs)].join('\n')
  const quoted = [...code.matchAll(/'([^']*)'/g)].map(([, text]) => text)
  const printed = template.replaceAll(/<%.*?%>|<[^>]*>/gs, ' ')

  const words = [...quoted, printed].join('\n').match(/\b(?:grants?|deployments?|members?|held)\b/gi)

  expect(words).toBeNull()
})

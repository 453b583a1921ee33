import { expect, test } from 'vitest'
import { Failure, type FailureCode } from '../../../../src/onboarding/domain/failure.ts'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import type { Tenant } from '../../../../src/onboarding/domain/tenant.ts'
import { installedLanguages } from '../../../../src/onboarding/http/languages.ts'
import { linkLocals } from '../../../../src/onboarding/linking/http/locals/link.ts'
import { ownedErrorLocals } from '../../../../src/onboarding/linking/http/page-owners.ts'
import { integration, link, plain } from '../../../support/http/gallery-fixtures.ts'

const { english } = installedLanguages()

const pageOf = (more: Partial<Link>, tenant: Tenant = plain) =>
  linkLocals({ link: link(more), tenant, integration, account: undefined, isFirst: true, mayTryAgain: false }, english)

const textOf = ({ outcome }: ReturnType<typeof pageOf>) => outcome?.lead.map(({ text }) => text).join('')

test.each([
  ['linked', undefined, 'success'],
  ['denied', 'consent_denied', 'neutral'],
  ['cancelled', 'user_cancelled', 'neutral'],
  ['abandoned', 'session_expired', 'neutral'],
  ['failed', 'scope_missing', 'warning'],
  ['needs_attention', 'function_failed', 'warning'],
  ['failed', 'answer_malformed', 'error'],
] as const)('a link that is %s (%s) has an icon of type %s', (state, cause, kind) => {
  expect(pageOf({ state, cause }).outcome?.kind).toBe(kind)
})

test.each(['consent_denied', 'user_cancelled'] as const)('%s: nothing was connected', (cause) => {
  expect(textOf(pageOf({ state: 'denied', cause }))).toContain('Nothing was connected')
})

test('the page shows the logos of the app and the tenant', () => {
  const { icons } = pageOf({ state: 'linked' })

  expect(icons.app).toEqual({ src: '/assets/logos/logos/google-calendar.svg' })
  expect(icons.tenant).toMatchObject({ letters: 'NT' })
})

test.each([
  ['the site of its return URLs', {}, 'https://app.northwind-traders.example/'],
  [
    'its help page if they are on several sites',
    {
      returnUrls: ['https://a.example/x', 'https://b.example/x'],
      branding: { supportUrl: 'https://northwind.example/help' },
    },
    'https://northwind.example/help',
  ],
])('the link to the tenant leads to %s', (_, more, href) => {
  const { nextPage } = pageOf({ state: 'linked' }, { ...plain, ...more })

  expect(nextPage).toEqual({ href, label: 'Back to Northwind Traders' })
})

test('shows no button without a known URL', () => {
  expect(pageOf({ state: 'linked' }, { ...plain, returnUrls: [] }).nextPage).toBeUndefined()
})

test('done steps are described as results, and other steps as work', () => {
  const labels = pageOf({ state: 'connection_ready' }).waiting?.steps.map(({ label }) => label)

  expect(labels).toEqual([
    'Permission given',
    'Access confirmed',
    'Connection created',
    'Setting up the tools',
    'Testing the connection',
  ])
})

const errorPage = (code: FailureCode, more: object = {}) =>
  ownedErrorLocals({ tenant: plain, integration, ...more }, new Failure(code, ''), english)

test('an error page of a known tenant has both logos and a way back', () => {
  const { icons, nextPage } = errorPage('provider_unusable')

  expect(icons).toMatchObject({ app: { src: expect.any(String) }, tenant: { letters: 'NT' } })
  expect(nextPage?.href).toBe('https://app.northwind-traders.example/')
})

test('shows the limit as a number', () => {
  expect(errorPage('connection_limit').detail).toBe('You’ve reached the limit of 3 Google Calendar accounts.')
})

test('only an ended session returns with an outcome', () => {
  const returnUrl = 'https://app.northwind-traders.example/return?status=expired'
  const session = { why: 'expired', returnUrl }

  expect(errorPage('connect_ended', session)).toMatchObject({ kind: 'neutral', nextPage: { href: returnUrl } })
  expect(errorPage('provider_unusable', session).nextPage?.href).toBe('https://app.northwind-traders.example/')
})

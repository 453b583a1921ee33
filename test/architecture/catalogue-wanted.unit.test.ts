// Operators register the most wanted apps from the page `/catalogue/:id` alone.
import { expect, test } from 'vitest'
import { unsourcedMembers } from '../../src/contract/integrations/link-form.ts'
import { appIcon } from '../../src/onboarding/domain/catalogue/app-icon.ts'
import { shippedCatalogue } from '../../src/onboarding/integrations/catalogue.ts'

const wanted = [
  ...['gmail', 'google-drive', 'google-calendar', 'google-sheets', 'google-docs', 'youtube', 'google-ads'],
  ...['google-analytics', 'outlook-mail', 'outlook-calendar', 'onedrive', 'sharepoint', 'microsoft-teams', 'excel'],
  ...['dynamics-365', 'slack', 'discord', 'zoom', 'github', 'gitlab', 'bitbucket', 'jira', 'confluence', 'trello'],
  ...['linear', 'asana', 'monday', 'clickup', 'notion', 'airtable', 'figma', 'miro', 'canva', 'hubspot', 'salesforce'],
  ...['pipedrive', 'zendesk', 'intercom', 'front', 'shopify', 'stripe', 'square', 'quickbooks', 'xero', 'amazon'],
  ...['dropbox', 'box', 'docusign', 'calendly', 'mailchimp', 'klaviyo', 'x', 'linkedin', 'facebook-pages', 'instagram'],
  ...[
    'tiktok',
    'reddit',
    'spotify',
    'twitch',
    'pinterest',
    'snowflake',
    'databricks',
    'okta',
    'servicenow',
    'netsuite',
  ],
  ...['bamboohr', 'greenhouse', 'gusto', 'azure-devops', 'auth0', 'ebay', 'pagerduty', 'paypal', 'workday'],
]

/**
 * Operators have to accept them: no source says how PayPal signs its ID tokens, and Workday publishes no reference of its
 * OAuth addresses.
 */
const toAccept = ['paypal', 'workday']

/** Each customer has a console at an address of their own. */
const withOwnConsole = [
  ...['salesforce', 'zendesk', 'snowflake', 'okta', 'servicenow', 'netsuite', 'pagerduty', 'workday'],
]

/** No set of logos under CC0 has the current one. */
const withoutLogo = ['klaviyo', 'servicenow', 'bamboohr', 'workday']

/** They work by requests to their API, and have no tools of their own yet. */
const withoutTools = [
  ...['front', 'square', 'amazon', 'klaviyo', 'facebook-pages', 'instagram', 'tiktok', 'reddit', 'spotify', 'twitch'],
  ...['pinterest', 'snowflake', 'databricks', 'okta', 'servicenow', 'netsuite', 'bamboohr', 'greenhouse', 'gusto'],
  ...['azure-devops', 'auth0', 'ebay', 'pagerduty', 'paypal', 'workday'],
]

const entries = wanted.map((id) => {
  const entry = shippedCatalogue().get(id)!
  return { id, tier: entry.tier, profile: entry.profile(), about: entry.about() }
})
type Entry = (typeof entries)[number]

const idsWhere = (isWrong: (entry: Entry) => boolean) => entries.filter(isWrong).map(({ id }) => id)

test('the most wanted apps can be linked without further settings', () => {
  expect(idsWhere(({ tier }) => tier === 'listed')).toEqual(toAccept)
})

test('the most wanted apps have a source for every member of the link form', () => {
  const accepted = entries.filter(({ id }) => !toAccept.includes(id))
  const unsourced = accepted.flatMap(({ id, profile, about: { asOf, sources } }) =>
    unsourcedMembers({ asOf, sources, scopesFrom: profile.scopesFrom, products: [profile] }).map(
      (member) => `${id}: ${member}`,
    ),
  )

  expect(unsourced).toEqual([])
})

test('the most wanted apps have the console and the steps to register an app, from a source', () => {
  const isWrong = ({ id, about: { registration, unverified } }: Entry) =>
    (registration.console === undefined) !== withOwnConsole.includes(id) ||
    registration.steps.length < 3 ||
    unverified.some((name) => name === 'registration.steps' || name === 'registration.console')

  expect(idsWhere(isWrong)).toEqual([])
})

test('a step of the most wanted apps says where the redirect URI, the client ID and the secret are', () => {
  const lacking = entries.flatMap(({ id, about }) => {
    const text = about.registration.steps.join(' ')
    return [/redirect uri/i, /client\)? id|application id|\bkey\b/i, /secret/i]
      .filter((wording) => !wording.test(text))
      .map((wording) => `${id}: ${wording.source}`)
  })

  expect(lacking).toEqual([])
})

test('the most wanted apps have a logo', () => {
  expect(idsWhere(({ profile, about }) => !('src' in appIcon({ ...profile, about })))).toEqual(withoutLogo)
})

test('the most wanted apps have tools', () => {
  expect(idsWhere(({ profile }) => profile.tools.length < 5)).toEqual(withoutTools)
})

test('the most wanted apps have a health check', () => {
  const isUntested = ({ profile: { health, rotation } }: Entry) => health.tool === undefined && rotation !== 'none'

  expect(idsWhere(isUntested)).toEqual(['workday'])
})

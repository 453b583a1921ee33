import { expect, test } from 'vitest'
import { filledProfile } from '../../../src/contract/integrations/filled-profile.ts'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'

test.each([
  ['smartsheet', { region: 'smartsheet.eu' }, 'api.smartsheet.eu', 'https://api.smartsheet.eu/2.0/token'],
  [
    'snowflake',
    { subdomain: 'xy12345.eu-central-1' },
    'xy12345.eu-central-1.snowflakecomputing.com',
    'https://xy12345.eu-central-1.snowflakecomputing.com/oauth/token-request',
  ],
  ['typeform', { apiHost: 'api.eu.typeform.com' }, 'api.eu.typeform.com', 'https://api.typeform.com/oauth/token'],
  ['webflow', { region: 'eu.webflow.com' }, 'api.eu.webflow.com', 'https://api.eu.webflow.com/oauth/access_token'],
  [
    'zoho-profile',
    { 'accounts-server': 'https://accounts.zoho.uk' },
    'accounts.zoho.uk',
    'https://accounts.zoho.uk/oauth/v2/token',
  ],
])('%s is called in the region of the account', (id, values, apiHost, token) => {
  const entry = shippedCatalogue().get(id)
  const filled = entry && filledProfile(entry.profile(), values)

  expect(filled?.apiHosts).toEqual([apiHost])
  expect(filled?.endpoints?.token).toBe(token)
})

import { demoAccounts } from './filebox/domain/accounts.ts'
import { platformUser } from './first-data.ts'
import { demoUser } from './portal/http/session.ts'
import { supportPeople } from './support-people.ts'

export type Places = {
  portal: string
  causeway: string
  platform: string
  filebox: string
  logs: string
  clientSettings: string
}

export function greeting({ portal, causeway, platform, filebox, logs, clientSettings }: Places): string {
  const people = supportPeople.map(({ email, password }) => `${email} with ${password}`)
  const accounts = demoAccounts.map(({ email, password }) => `${email} with ${password}`)
  return `
  Open  ${portal}

  1. Sign in to Acme as ${demoUser.email} (a button), and choose Connect at Filebox.
  2. At Filebox sign in as ${accounts.join(',\n     or ')}.
  3. Allow. Back at Acme: the function's address, its tools, and your files through them.

  More to try
     Deny instead of Allow, and read what Acme says.
     Connect again: Filebox skips its consent page, and grants no offline access unless requested.
     See which apps have access, and remove it: ${filebox}/account
     See the costs and create platform keys: ${platform}/billing and ${platform}/keys, as ${platformUser.email} with ${platformUser.password}

  Support console: ${causeway}/support
     Sign in as ${people.join(',\n     or ')}.

  Build against it in ten minutes: ${causeway}/docs/guides/ten-minute-start
     Its address and a test key are in ${clientSettings}
     Live keys, and a credential for functions: ${causeway}/docs/guides/ten-minute-start#live-keys-beside-npm-start

  Causeway ${causeway}   Platform ${platform}   Logs ${logs}
  Ctrl-C stops the demo; npm run reset deletes its data.
`
}

import type { Command } from '../command.ts'
import { clientFor, forgetCredentials, storeCredentials } from '../credentials.ts'
import { CommandError } from '../errors.ts'

export const login: Command = {
  name: 'login',
  summary: 'Store the address of a deployment and its API key.',
  options: {
    url: { type: 'string', value: 'ADDRESS', summary: 'The public address, such as https://connect.example.com.' },
  },
  async run(given, terminal) {
    const url = given.text('url') ?? terminal.env.CAUSEWAY_URL
    if (!url) throw new CommandError('Name the deployment: causeway login --url https://connect.example.com')
    // Never an option: other users of the machine can see the arguments of a process.
    const apiKey = terminal.env.CAUSEWAY_API_KEY ?? (await terminal.readLine('API key: '))?.trim()
    if (!apiKey) throw new CommandError('No API key. Type it or pipe it in.')
    const { data } = await clientFor({ url, apiKey }).send('listTenants', { query: { limit: 2 } })
    const file = storeCredentials(terminal, { url, apiKey })
    terminal.out(`Signed in to ${new URL(url).host}${apiKey.startsWith('cwk_test_') ? ', in test mode' : ''}.`)
    if (data.length === 1) terminal.out(`The key can read the tenant ${data[0]?.id}.`)
    terminal.err(`The key is stored in ${file}. Only your account can read it.`)
  },
}

export const logout: Command = {
  name: 'logout',
  summary: 'Delete the stored address and key.',
  async run(_given, terminal) {
    forgetCredentials(terminal)
    terminal.out('Signed out. The key still works; revoke it if it may have leaked.')
  },
}

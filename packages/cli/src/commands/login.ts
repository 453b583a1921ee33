import type { Command } from '../command.ts'
import { clientFor, forgetCredentials, storeCredentials } from '../credentials.ts'
import { CommandError } from '../errors.ts'

export const login: Command = {
  name: 'login',
  summary: 'Store the address of a deployment and an API key for it.',
  options: {
    url: { type: 'string', value: 'ADDRESS', summary: 'The public address, such as https://connect.example.com.' },
  },
  async run(given, terminal) {
    const url = given.text('url') ?? terminal.env.CAUSEWAY_URL
    if (!url) throw new CommandError('Name the deployment: causeway login --url https://connect.example.com')
    // Never an option: other people of the machine see what a command was called with.
    const apiKey = terminal.env.CAUSEWAY_API_KEY ?? (await terminal.readLine('API key: '))?.trim()
    if (!apiKey) throw new CommandError('No key was given. Type it, or pipe it in.')
    const { data } = await clientFor({ url, apiKey }).send('listTenants', { query: { limit: 2 } })
    const file = storeCredentials(terminal, { url, apiKey })
    terminal.out(`Signed in to ${new URL(url).host}${apiKey.startsWith('cwk_test_') ? ', in test mode' : ''}.`)
    if (data.length === 1) terminal.out(`The key sees the tenant ${data[0]?.id}.`)
    terminal.err(`The key is in ${file}, for your account alone.`)
  },
}

export const logout: Command = {
  name: 'logout',
  summary: 'Forget the address and the key.',
  async run(_given, terminal) {
    forgetCredentials(terminal)
    terminal.out('Signed out. The key still works; revoke it if it may have leaked.')
  },
}

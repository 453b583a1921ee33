// Commands of the operator work on the deployment's own stores and settings, so they run where it runs. They are part of
// the deployment, not of this package; here is only where to find them. In the image, its entry point runs them.
import type { Command } from '../command.ts'
import { CommandError } from '../errors.ts'

const operatorCommand = (name: string, summary: string): Command => ({
  name,
  summary: `${summary} (where the deployment runs)`,
  arguments: ['[…]'],
  handsOn: true,
  async run(given) {
    const words = [name, ...given.arguments].join(' ')
    throw new CommandError(
      `This works on the deployment's own database. Run it where the deployment runs: npm run causeway -- ${words}`,
    )
  },
})

export const operatorCommands: readonly Command[] = [
  operatorCommand('keys', 'Create, list and revoke API keys'),
  operatorCommand('import', 'Import grants from a CSV file'),
  operatorCommand('export', 'Write everything of a tenant to a file'),
  operatorCommand('find', 'Say where a link, its log lines and its trace are'),
  operatorCommand('doctor', 'Check the OAuth apps of integrations'),
  operatorCommand('catalogue', 'Check the providers of the catalogue'),
  operatorCommand('migrate', 'Bring the database up to date'),
  operatorCommand('sample', 'Fill a local deployment with made-up history'),
]

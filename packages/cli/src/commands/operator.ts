// Operator commands are part of the deployment, not of this package. They are listed here to say where to run them.
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
      `This command uses the deployment's database. Run it where the deployment runs: npm run causeway -- ${words}`,
    )
  },
})

export const operatorCommands: readonly Command[] = [
  operatorCommand('keys', 'Create, list and revoke API keys'),
  operatorCommand('import', 'Import grants from a CSV file'),
  operatorCommand('export', 'Export a tenant to a file'),
  operatorCommand('find', 'Find a link, its log lines and its trace'),
  operatorCommand('doctor', 'Check the OAuth apps of integrations'),
  operatorCommand('audit heads', 'Print the heads of all audit chains'),
  operatorCommand('integrations list', 'List the settings of integrations'),
  operatorCommand('integrations get', 'Print the settings of an integration'),
  operatorCommand('integrations history', 'Print the versions of the settings of an integration'),
  operatorCommand('integrations put', 'Change an integration without a restart'),
  operatorCommand('integrations remove', 'Remove an integration that was added without a restart'),
  operatorCommand('integrations rollback', 'Restore an earlier version of an integration'),
  operatorCommand('catalogue', 'Check the providers of the catalogue'),
  operatorCommand('migrate', 'Migrate the database'),
]

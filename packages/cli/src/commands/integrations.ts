import type { Command } from '../command.ts'
import { openClient } from '../credentials.ts'
import { printList } from '../print.ts'

export const integrations: Command = {
  name: 'integrations',
  summary: 'List the integrations that can be linked.',
  options: { all: { type: 'boolean', summary: 'Include integrations without an OAuth client.' } },
  run: (given, terminal) =>
    printList(
      openClient(terminal).integrations.list(given.flag('all') ? {} : { available: 'true' }),
      ({ id, displayName, available }) => ({ id, name: displayName, available: available ? 'yes' : 'no' }),
      { given, terminal, none: 'No integration is available. Try causeway integrations --all.' },
    ),
}

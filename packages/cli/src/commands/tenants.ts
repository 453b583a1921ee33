import type { Command } from '../command.ts'
import { openClient } from '../credentials.ts'
import { printList } from '../print.ts'

export const tenants: Command = {
  name: 'tenants',
  summary: 'List the tenants that your key can read.',
  run: (given, terminal) =>
    printList(
      openClient(terminal).tenants.list(),
      ({ id, displayName, workspace, status }) => ({ id, name: displayName, workspace, status }),
      { given, terminal, none: 'There are no tenants yet.' },
    ),
}

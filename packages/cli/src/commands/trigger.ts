import { type Command, UsageError } from '../command.ts'
import { openClient } from '../credentials.ts'
import { eventTypes } from '../event-types.ts'
import { printOne } from '../print.ts'
import { tenantOf } from '../tenant.ts'

export const trigger: Command = {
  name: 'trigger',
  summary: 'Make an event of a test tenant happen, with sample data, as its webhook endpoints would get it.',
  arguments: ['EVENT'],
  choices: eventTypes,
  options: {
    tenant: { type: 'string', value: 'ID', summary: 'The test tenant, if your key sees several.' },
  },
  async run(given, terminal) {
    const type = eventTypes.find((each) => each === given.arguments[0])
    if (!type) throw new UsageError(`There is no event “${given.arguments[0]}”. There is ${eventTypes.join(', ')}.`)
    const client = openClient(terminal)
    const tenantId = await tenantOf(client, given.text('tenant'))
    printOne(await client.events.trigger(tenantId, { type }), given, terminal)
  },
}

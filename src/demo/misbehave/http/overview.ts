import type { RequestHandler } from 'express'
import { presets } from '../domain/presets.ts'
import type { Switch } from '../domain/switch.ts'
import { switchGroups } from '../domain/switch-table.ts'

/** The table of switches, for whoever has the address and no guide at hand. */
export const overview: RequestHandler = (_req, res) =>
  void res.json({
    about: 'A provider is made by its address: /<name>;<switch>=<value>;… Its state is at /<name>…/control.',
    presets: Object.keys(presets),
    switches: Object.fromEntries(
      Object.entries(switchGroups).map(([group, switches]) => [group, Object.fromEntries(rowsOf(switches))]),
    ),
  })

const rowsOf = (switches: Record<string, Switch<unknown>>) =>
  Object.entries(switches).map(([name, { default: byDefault, values, does }]) => [
    name,
    { default: byDefault, values, does },
  ])

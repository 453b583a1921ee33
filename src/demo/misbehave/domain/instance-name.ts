// The first segment of a path is a provider of its own: a name, and the switches it has from its first request on.
import { parseSwitches, type Switches, SwitchUnknown } from './switch-table.ts'

export type InstanceName = { name: string; switches: Partial<Switches> }

export type Presets = Readonly<Record<string, Partial<Switches>>>

/** `acme-ci;preset=slack;rotation=single_use`. Throws SwitchUnknown. */
export function parseInstanceName(segment: string, presets: Presets): InstanceName {
  const [name = '', ...pairs] = segment.split(';')
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    throw new SwitchUnknown(
      'The first part of the path must be a name in lower case, such as "ci", then ;switch=value.',
    )
  }
  const given = pairs.map((pair) => splitAt(pair, '='))
  const preset = given.filter(([key]) => key === 'preset').map(([, value]) => presetOf(value, presets))
  const switches = parseSwitches(given.filter(([key]) => key !== 'preset'))
  return { name, switches: Object.assign({}, ...preset, switches) }
}

function presetOf(name: string, presets: Presets): Partial<Switches> {
  const found = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (!found) throw new SwitchUnknown(`There is no preset "${name}": there are ${Object.keys(presets).join(', ')}.`)
  return found
}

function splitAt(text: string, sign: string): [string, string] {
  const at = text.indexOf(sign)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

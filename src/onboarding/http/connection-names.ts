import { z } from 'zod'
import {
  aliasPattern,
  isLabelValue,
  type Labels,
  labelKeyPattern,
  maxAliasLength,
  maxLabelKeyLength,
  maxLabels,
  maxLabelValueLength,
} from '../domain/linking/connection-names.ts'

const aliasRule = 'must be lowercase letters, digits and inner hyphens'

export const Alias = z
  .string()
  .max(maxAliasLength)
  .regex(aliasPattern, aliasRule)
  .meta({
    description: `The name of this account for agents and for its user, such as \`work\`. Unique among the connections of the user to the integration. At most ${maxAliasLength} lowercase letters, digits and inner hyphens.`,
    examples: ['work'],
  })

const keyRule = `must be letters, digits, dots, underscores and hyphens, at most ${maxLabelKeyLength}, and begin with a letter or digit`
const valueRule = `must have 1 to ${maxLabelValueLength} characters, without commas and control characters`

const isKey = (key: string) => key.length <= maxLabelKeyLength && labelKeyPattern.test(key)

const isValue = (value: string) => value.length > 0 && value.length <= maxLabelValueLength && isLabelValue(value)

export const LabelsBody = z
  .record(z.string(), z.string())
  .superRefine((labels, { addIssue }) => {
    const entries = Object.entries(labels)
    if (entries.length > maxLabels) addIssue(`must have at most ${maxLabels} labels`)
    for (const [key, value] of entries.slice(0, maxLabels)) {
      if (!isKey(key)) addIssue({ code: 'custom', path: [key.slice(0, 60)], message: `its name ${keyRule}` })
      else if (!isValue(value)) addIssue({ code: 'custom', path: [key], message: valueRule })
    }
  })
  .meta({
    description: `Your own names and values, by which you can filter the list of connections. At most ${maxLabels}. A name has up to ${maxLabelKeyLength} letters, digits, dots, underscores and hyphens. A value has up to ${maxLabelValueLength} characters, without commas. Do not put personal data in labels.`,
    examples: [{ team: 'sales', project: '4711' }],
  })

export const Scopes = z.array(z.string().min(1).max(500)).max(100)

const labelsQueryRule = 'must be name=value pairs, separated by commas'

export const LabelPairs = z
  .string()
  .max(4_000)
  .transform((text, { addIssue }): Labels => {
    const pairs = text.split(',').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
    const isPair = ([key = '', value = '']: string[]) => isKey(key) && isValue(value)
    if (text.split(',').some((pair) => !pair.includes('=')) || !pairs.every(isPair)) addIssue(labelsQueryRule)
    return Object.fromEntries(pairs)
  })

export const labelsQuery = LabelPairs.optional().meta({
  description: 'Only connections that have all of these labels: `name=value`, separated by commas.',
  examples: ['team=sales,project=4711'],
})

export const namesAnswer = {
  alias: z.string().optional().meta({ description: 'The name of this account for agents and for its user.' }),
  labels: z.record(z.string(), z.string()).optional().meta({ description: 'Your own names and values.' }),
}

export const namesOf = ({ alias, labels }: { alias?: string | undefined; labels?: Labels | undefined }) => ({
  ...(alias !== undefined && { alias }),
  ...(labels && { labels }),
})

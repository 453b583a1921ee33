import { type Command, commonOptions, type Option } from './command.ts'
import { columns } from './table.ts'

export const overview = (commands: readonly Command[]): string =>
  [
    'Usage: causeway COMMAND [OPTIONS]',
    '',
    ...columns(commands.map((command) => [`  ${signature(command)}`, command.summary])),
    '',
    'causeway COMMAND --help says more about one of them.',
    'The deployment and its key are those of causeway login, or CAUSEWAY_URL and CAUSEWAY_API_KEY.',
  ].join('\n')

export const commandHelp = (command: Command): string =>
  [
    `Usage: causeway ${signature(command)} [OPTIONS]`,
    '',
    command.summary,
    '',
    ...columns(Object.entries({ ...command.options, ...commonOptions }).map(optionRow)),
    ...(command.choices ? ['', `${command.arguments?.[0]}: ${command.choices.join(', ')}`] : []),
  ].join('\n')

const signature = ({ name, arguments: wanted = [] }: Command) => [name, ...wanted].join(' ')

const optionRow = ([name, { value, summary }]: [string, Option]) => [`  --${name}${value ? ` ${value}` : ''}`, summary]

import { type Command, commonOptions, UsageError } from '../command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** `commands` is a function because the list includes this command. */
export const completion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print a script that completes commands in your shell.',
  arguments: ['SHELL'],
  choices: shells,
  async run(given, terminal) {
    const [shell = ''] = given.arguments
    const script = scripts[shell]
    if (!script) throw new UsageError(`No completion for “${shell}”. Choose one of ${shells.join(', ')}.`)
    terminal.out(script(commands()))
  },
})

/** Maps each prefix of a command line to the words that may follow: `links` to `tail` and its options. */
function followers(commands: readonly Command[]): Array<[before: string, words: string[]]> {
  const found = new Map<string, Set<string>>([['', new Set()]])
  const add = (before: string, word: string) => {
    found.set(before, (found.get(before) ?? new Set()).add(word))
  }
  for (const { name, choices = [], options = {} } of commands) {
    const words = name.split(' ')
    for (const [at, word] of words.entries()) add(words.slice(0, at).join(' '), word)
    const given = Object.keys({ ...options, ...commonOptions }).map((option) => `--${option}`)
    for (const word of [...choices, ...given]) add(name, word)
  }
  return [...found].map(([before, words]) => [before, [...words]])
}

const scripts: Record<string, (commands: readonly Command[]) => string> = {
  bash: (commands) => `# causeway completion bash > /etc/bash_completion.d/causeway
_causeway() {
  local line="\${COMP_WORDS[*]:1:COMP_CWORD-1}" offered
${shellCases(commands)}
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _causeway causeway`,

  zsh: (commands) => `#compdef causeway
# causeway completion zsh > "\${fpath[1]}/_causeway"
_causeway() {
  local line="\${words[2,CURRENT-1]}" offered
${shellCases(commands)}
  compadd -- \${=offered}
}
_causeway "$@"`,

  fish: (commands) =>
    [
      '# causeway completion fish > ~/.config/fish/completions/causeway.fish',
      'function __causeway_after',
      '  set -l line (commandline -opc)',
      '  test "$line[2..-1]" = "$argv"',
      'end',
      'complete -c causeway -f',
      ...followers(commands).map(
        ([before, words]) => `complete -c causeway -n '__causeway_after ${before}' -a '${words.join(' ')}'`,
      ),
    ].join('\n'),
}

/** Options are removed from the line before it is matched. */
const shellCases = (commands: readonly Command[]): string =>
  [
    '  line="$(echo "$line" | sed -E "s/ ?--[^ ]+( |$)/\\\\1/g; s/ +$//")"',
    '  case "$line" in',
    ...followers(commands).map(([before, words]) => `    "${before}") offered="${words.join(' ')}" ;;`),
    '    *) offered="" ;;',
    '  esac',
  ].join('\n')

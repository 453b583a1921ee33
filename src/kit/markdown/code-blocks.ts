import { escapeHtml } from '../http/pages.ts'
import { highlight } from './highlight.ts'

/** `title` replaces the name of the language above the code. */
export type CodeSample = { language: string; code: string; title?: string }

const titles: Record<string, string> = {
  js: 'JavaScript',
  jsx: 'JSX',
  ts: 'TypeScript',
  python: 'Python',
  sh: 'Shell',
  json: 'JSON',
  http: 'HTTP',
  html: 'HTML',
  yaml: 'YAML',
  markdown: 'Markdown',
}

/** The order of the tabs is that of the samples. */
const tabTitles: Record<string, string> = { js: 'Node.js', python: 'Python', sh: 'curl' }

export const canBeTab = (language: string): boolean => language in tabTitles

export function codeBlock({ language, code, title = titles[language] ?? 'Text' }: CodeSample): string {
  return `<div class="code"><div class="code-head"><span>${escapeHtml(title)}</span></div>${codeText(language, code)}</div>\n`
}

/** Radio buttons, which work without a script. `name` is unique on the page. */
export function codeTabs(name: string, samples: readonly CodeSample[]): string {
  const choices = samples.map(({ language }, position) => {
    const checked = position === 0 ? ' checked' : ''
    return `<label><input type="radio" name="${escapeHtml(name)}" value="${language}"${checked}>${tabTitles[language]}</label>`
  })
  const panels = samples.map(
    ({ language, code }) => `<div class="code-panel" data-tab="${language}">${codeText(language, code)}</div>`,
  )
  const legend = '<legend class="visually-hidden">Language of the example</legend>'
  return `<fieldset class="code code-tabs">${legend}<div class="code-head">${choices.join('')}</div>${panels.join('')}</fieldset>\n`
}

/** Code scrolls sideways, so it must be focusable by keyboard. */
const codeText = (language: string, code: string) =>
  `<pre tabindex="0"><code data-language="${escapeHtml(language)}">${highlight(language, code)}</code></pre>`

import { escapeHtml } from '../../../kit/http/pages.ts'
import type { Instance } from '../domain/instance.ts'
import { readScopes } from '../domain/scopes.ts'
import { accountMembers } from '../domain/token-answer.ts'
import type { Parameters } from './request.ts'

export function consentPage({ segment, switches, brand }: Instance, query: Parameters): string {
  const name = brand?.name ?? segment.split(';')[0] ?? ''
  const client = brand?.client ?? query[switches.client_id_parameter] ?? ''
  const email = query.login_hint ?? accountMembers(switches.account).account_email
  const scopes = (readScopes(query.scope, switches) ?? []).filter((scope) => scope !== 'openid')
  const rows = scopes.map((scope) => `<li>${escapeHtml(brand?.permissions[scope] ?? scope)}</li>`)
  return page(
    `<form method="post">
<h1>${escapeHtml(client)} wants access to your ${escapeHtml(name)} account</h1>
<label>Account<input type="email" name="email" value="${escapeHtml(email)}" autocomplete="off" required></label>
${rows.length > 0 ? `<h2>It will be able to</h2><ul>${rows.join('')}</ul>` : ''}
<p class="choices"><button name="choice" value="allow">Allow</button><button name="choice" value="deny" formnovalidate>Deny</button></p>
</form>
<p class="note">${escapeHtml(name)} is made up, for tests, and needs no password.</p>`,
    brand && { ...brand, name },
  )
}

export const page = (content: string, brand?: { name: string; icon: string; color: string }): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(brand?.name ?? 'Misbehaving provider')}</title><style>${style}${brand ? `:root{--brand:${brand.color}}` : ''}</style>${brand ? `<header><img src="${brand.icon}" alt="" width="32" height="32">${escapeHtml(brand.name)}</header>` : ''}<main>${content}</main>`

const style = `:root{color-scheme:light dark;--brand:#3d4a5c;--line:light-dark(#d9dde3,#3a414c);background:light-dark(#f4f5f7,#14171c);color:light-dark(#1b2230,#e8ebf0);font:16px/1.5 system-ui,sans-serif}
body{margin:0;padding:2rem 1rem}
header{display:flex;gap:.625rem;align-items:center;justify-content:center;margin-bottom:1.25rem;font-size:1.25rem;font-weight:700}
header img{padding:.25rem;border-radius:.5rem;background:#fff}
main{box-sizing:border-box;max-width:26rem;margin:auto}
form{padding:1.5rem;border:1px solid var(--line);border-top:4px solid var(--brand);border-radius:.75rem;background:light-dark(#fff,#1d2129)}
h1{margin:0 0 1.25rem;font-size:1.375rem;line-height:1.3}
h2{margin:1.25rem 0 .5rem;font-size:1rem}
ul{margin:0;padding:0;list-style:none}
li{padding:.5rem 0;border-top:1px solid var(--line)}
label{font-size:.875rem;font-weight:600}
input,button{box-sizing:border-box;font:inherit;padding:.5rem .75rem;border:1px solid light-dark(#7d8694,#8892a2);border-radius:.5rem}
input{display:block;width:100%;margin-top:.25rem;background:none;color:inherit;font-weight:400}
.choices{display:flex;gap:.75rem;margin:1.5rem 0 0}
button{flex:1;min-height:2.75rem;background:none;color:inherit;font-weight:600;cursor:pointer}
button[value=allow]{border-color:var(--brand);background:var(--brand);color:#fff}
:focus-visible{outline:3px solid light-dark(var(--brand),#fff);outline-offset:2px}
.note{margin:1rem 0;color:light-dark(#566072,#a7b0bf);font-size:.875rem;text-align:center}`

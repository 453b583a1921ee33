import { profile } from './profile.ts'

/** Without OpenID: the identity tokens of the shared endpoint name an issuer per directory. */
export const microsoft = profile({
  id: 'microsoft',
  displayName: 'Microsoft 365',
  description: 'Read mail, calendars and files.',
  endpoints: {
    authorization: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    userinfo: 'https://graph.microsoft.com/v1.0/me',
  },
  scopes: [
    { name: 'offline_access', description: 'Keep access while you are away' },
    { name: 'User.Read', description: 'See your profile' },
    { name: 'Mail.Read', description: 'Read your mail' },
    { name: 'Calendars.Read', description: 'See your calendars' },
    { name: 'Files.Read', description: 'See your files' },
  ],
  otherAccountParameters: { prompt: 'select_account' },
  health: { by: 'function', tool: 'list_files', arguments: { top: 1 } },
  account: { from: 'userinfo', id: 'id', label: 'userPrincipalName' },
})

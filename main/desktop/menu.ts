import { app, Menu, type MenuItemConstructorOptions } from 'electron';

/** The application's menu: only Electron's own actions. Everything else is in the page, with its own keys. */
export function setMenu({ development }: { readonly development: boolean }): void {
  const onMac = process.platform === 'darwin';
  const template: MenuItemConstructorOptions[] = [
    ...(onMac
      ? [{ role: 'appMenu' } as const]
      : [{ label: '&File', submenu: [{ role: 'quit' }] } satisfies MenuItemConstructorOptions]),
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        { role: 'reload' },
        ...(development ? [{ role: 'toggleDevTools' } as const] : []),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [{ label: `About ${app.name}`, click: () => app.showAboutPanel() }] },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

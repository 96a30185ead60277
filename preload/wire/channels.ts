/** Electron channels of the frame pipe: one each way. */
export const toServicesChannel = 'whetstone:to-services';
export const toPageChannel = 'whetstone:to-page';

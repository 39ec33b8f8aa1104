// What Zigbee2MQTT says by MQTT when it starts and hears a device, as its pages document it, by the client that it uses
// itself and with its will: its radio alone is left out.
const mqtt = require(`${process.env.CLIENTS}/node_modules/mqtt`);

const { PORT, MAC, SECRET } = process.env;
const say = { qos: 1, retain: true };
const ieee = '0x00158d00018255df';
const devices = [
  {
    ieee_address: ieee,
    type: 'EndDevice',
    network_address: 29159,
    supported: true,
    friendly_name: 'bed-3',
    definition: {
      model: 'WSDCGQ11LM',
      vendor: 'Aqara',
      description: 'Temperature and humidity sensor',
      exposes: [
        { type: 'numeric', name: 'temperature', property: 'temperature', access: 1, unit: '°C' },
        { type: 'numeric', name: 'humidity', property: 'humidity', access: 1, unit: '%' },
        { type: 'numeric', name: 'voltage', property: 'voltage', access: 1, unit: 'mV' },
      ],
    },
  },
];
const client = mqtt.connect({
  host: '127.0.0.1',
  port: Number(PORT),
  protocolVersion: 4,
  username: MAC,
  password: SECRET,
  reconnectPeriod: 0,
  will: { topic: 'zigbee2mqtt/bridge/state', payload: '{"state":"offline"}', ...say },
});
client.on('connect', async () => {
  await client.subscribeAsync('zigbee2mqtt/#');
  await client.publishAsync('zigbee2mqtt/bridge/state', '{"state":"online"}', say);
  await client.publishAsync('zigbee2mqtt/bridge/devices', JSON.stringify(devices), say);
  await client.publishAsync('zigbee2mqtt/bed-3/availability', '{"state":"online"}', say);
  const heard = { battery: 91, humidity: 44.72, linkquality: 120, temperature: 27.34, voltage: 2995 };
  await client.publishAsync('zigbee2mqtt/bed-3', JSON.stringify(heard), { qos: 2 });
  await client.endAsync();
});
client.on('error', (error) => {
  console.error(error);
  process.exit(1);
});

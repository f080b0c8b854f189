// Model/Device

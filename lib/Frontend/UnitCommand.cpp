// Frontend/UnitCommand
